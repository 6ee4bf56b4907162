-- Every character that the sidecar counts as hidden is written out here, too, and no letter is.
local text = require("keepgate.text")
local hidden = vim.json.decode(table.concat(vim.fn.readfile(vim.env.HIDDEN_CHARACTERS), ""))
for _, range in ipairs(hidden.hidden) do
  for code = range[1], range[2] do
    if not text.is_hidden(code) then
      error(("U+%04X is hidden"):format(code))
    end
  end
end
for _, range in ipairs(hidden.plain) do
  for code = range[1], range[2] do
    if text.is_hidden(code) then
      error(("U+%04X is a plain character"):format(code))
    end
  end
end
for _, pair in ipairs(hidden.shown) do
  play.equal(pair[2], text.visible(pair[1]))
end

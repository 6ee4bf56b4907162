vim9script
# Text as a person may see it: hidden characters are written out, names of others are quoted.

# Code points that draw nothing or reorder their neighbours, line feed and tab aside; the sidecar's.
const HIDDEN = [
  [0x00, 0x08], [0x0B, 0x1F], [0x7F, 0x9F], [0xAD, 0xAD], [0x34F, 0x34F], [0x600, 0x605], [0x61C, 0x61C],
  [0x6DD, 0x6DD], [0x70F, 0x70F], [0x890, 0x891], [0x8E2, 0x8E2], [0x115F, 0x1160], [0x17B4, 0x17B5],
  [0x180B, 0x180F], [0x200B, 0x200F], [0x2028, 0x202E], [0x2060, 0x206F], [0x2800, 0x2800], [0x3164, 0x3164],
  [0xD800, 0xDFFF], [0xFE00, 0xFE0F], [0xFEFF, 0xFEFF], [0xFFA0, 0xFFA0], [0xFFF0, 0xFFFB],
  [0x110BD, 0x110BD], [0x110CD, 0x110CD], [0x13430, 0x1343F], [0x1BCA0, 0x1BCA3], [0x1D173, 0x1D17A],
  [0xE0000, 0xE0FFF],
]

export def IsHidden(code: number): bool
  for range in HIDDEN
    if code >= range[0] && code <= range[1]
      return true
    endif
  endfor
  return false
enddef

# The text with every hidden character written as <U+202E> in angle brackets; line feeds and tabs stay. Joiners
# and style selectors of emoji are written out, too: better one sign too many.
export def Visible(text: string): string
  if text !~ "[^\t\n\x20-\x7E]"
    return text
  endif
  var shown: list<string> = []
  for code in str2list(text, true)
    add(shown, IsHidden(code) ? printf('⟨U+%04X⟩', code) : nr2char(code, true))
  endfor
  return join(shown, '')
enddef

# The lines of a text, each fit for a buffer.
export def Lines(text: string): list<string>
  return split(Visible(text), "\n", true)
enddef

export def OneLine(text: string): string
  return Visible(text)->substitute("\n", ' ⏎ ', 'g')->substitute("\t", ' ', 'g')
enddef

# A name that somebody chose, quoted unless it is one plain word: it must not pass for words of ours.
export def Named(name: string): string
  return name =~ '^[0-9A-Za-z_.@+:/\\~#-]\+$' ? name : json_encode(name)
enddef

# How full a layer is, as ten blocks.
export def Bar(used: number, limit: number): string
  const full = limit > 0 ? min([10, (10 * used + limit - 1) / limit]) : (used > 0 ? 10 : 0)
  return repeat('█', full) .. repeat('░', 10 - full)
enddef

# What goes, what comes and what stays of two lists of lines: pairs of a sign and a line, in order.
export def Difference(old: list<string>, new: list<string>): list<list<string>>
  var head = 0
  while head < len(old) && head < len(new) && old[head] ==# new[head]
    head += 1
  endwhile
  var tail = 0
  while tail < min([len(old), len(new)]) - head && old[-1 - tail] ==# new[-1 - tail]
    tail += 1
  endwhile
  const before = slice(old, head, len(old) - tail)
  const after = slice(new, head, len(new) - tail)
  var found: list<list<string>> = slice(old, 0, head)->mapnew((_, line) => [' ', line])
  found += len(before) * len(after) > 250000 ? Apart(before, after) : Compared(before, after)
  found += slice(old, len(old) - tail)->mapnew((_, line) => [' ', line])
  return found
enddef

def Apart(before: list<string>, after: list<string>): list<list<string>>
  return before->mapnew((_, line) => ['-', line]) + after->mapnew((_, line) => ['+', line])
enddef

# By the longest common subsequence; lengths[i][j] is that of the rests from i and j on.
def Compared(before: list<string>, after: list<string>): list<list<string>>
  var lengths: list<list<number>> = range(len(before) + 1)->mapnew((_, _) => repeat([0], len(after) + 1))
  for i in range(len(before) - 1, 0, -1)
    for j in range(len(after) - 1, 0, -1)
      lengths[i][j] = before[i] ==# after[j] ? lengths[i + 1][j + 1] + 1
        : max([lengths[i + 1][j], lengths[i][j + 1]])
    endfor
  endfor
  var found: list<list<string>> = []
  var i = 0
  var j = 0
  while i < len(before) && j < len(after)
    if before[i] ==# after[j]
      add(found, [' ', before[i]])
      i += 1
      j += 1
    elseif lengths[i + 1][j] >= lengths[i][j + 1]
      add(found, ['-', before[i]])
      i += 1
    else
      add(found, ['+', after[j]])
      j += 1
    endif
  endwhile
  return found + Apart(slice(before, i), slice(after, j))
enddef

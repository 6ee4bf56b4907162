// The TypeScript SDK's client over stdio: lists every tool and calls each with the arguments it is given.
// Usage: node client.mjs '{"command": [...], "env": {...}, "cwd": "...", "arguments": {"tool": {...}}}'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { pathToFileURL } from "node:url";

const wanted = JSON.parse(process.argv[2]);
const [command, ...args] = wanted.command;
const transport = new StdioClientTransport({ command, args, env: wanted.env, cwd: wanted.cwd });
const client = new Client(
  { name: "node", version: "1.0" },
  { capabilities: { roots: {}, elicitation: {} } },
);
let asked = 0;
client.setRequestHandler(ListRootsRequestSchema, () => ({
  roots: [{ uri: pathToFileURL(wanted.root).href }],
}));
client.setRequestHandler(ElicitRequestSchema, () => {
  asked += 1;
  return { action: "accept", content: { decision: "Allow once" } };
});

await client.connect(transport);
const { tools } = await client.listTools();
const answers = {};
for (const tool of tools) {
  const result = await client.callTool({ name: tool.name, arguments: wanted.arguments[tool.name] ?? {} });
  answers[tool.name] = {
    blocks: result.content.map((block) => block.type),
    document: JSON.parse(result.content.map((block) => block.text).join("\n")),
    isError: result.isError === true,
  };
}
await client.close();
process.stdout.write(JSON.stringify({ server: client.getServerVersion(), tools, answers, asked }));

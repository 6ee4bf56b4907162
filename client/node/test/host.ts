/** A host that is going to be killed: it tells the process id of its sidecar, and that a question is open. */

import { Client, type Command } from "keepgate-client";

const [, , workspace, command] = process.argv;
const client = await Client.spawn({
  workspace,
  command: JSON.parse(command ?? "") as Command,
  session: { id: "s1" },
  approver: () => new Promise(() => undefined),
});
console.log(client.pid);
client.on("approval/asked", () => { console.log("asked"); });
await client.add({ track: "agent", scope: "workspace", text: "The tests need port 5434." });

// A Node host: it starts each server as editors do, opens a session and calls a tool many times, one
// call after the other. Rounds are interleaved, so that a busy machine disturbs all alike.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const [proofstone, python, calls = "10000", rounds = "3"] = process.argv.slice(2);
const here = new URL("./", import.meta.url).pathname;
const servers = [
  ["proofstone", proofstone, ["serve", "--toolsets", "conformance"]],
  ["TypeScript SDK 2.4.0", process.execPath, [`${here}hello.mjs`]],
  ["Python mcp 2.3.0", python, [`${here}hello.py`]],
];
const all = ["proofstone, all toolsets", proofstone, ["serve"]];

function open([, command, args]) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], cwd: "/tmp" });
  const waiting = new Map();
  let rest = "";
  let id = 0;
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    rest += chunk;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      const message = JSON.parse(rest.slice(0, end));
      rest = rest.slice(end + 1);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      send({ id, method, params });
    });
  return { child, send, ask };
}

const processorMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const residentMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];

async function measure(server, count) {
  const started = process.hrtime.bigint();
  const { child, send, ask } = open(server);
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
  const start = Number(process.hrtime.bigint() - started) / 1e6;
  send({ method: "notifications/initialized" });
  await ask("tools/list", {});
  const idle = residentMb(child.pid);
  const times = [];
  const params = { name: "hello", arguments: { name: "Ada", times: 3 } };
  for (let warm = 0; warm < Math.min(500, count); warm++) await ask("tools/call", params);
  const before = processorMs(child.pid);
  for (let call = 0; call < count; call++) {
    const from = process.hrtime.bigint();
    const answer = await ask("tools/call", params);
    times.push(Number(process.hrtime.bigint() - from) / 1e3);
    if (!answer.result || answer.result.isError) throw new Error(JSON.stringify(answer));
  }
  const processor = count ? ((processorMs(child.pid) - before) * 1000) / count : 0;
  const after = residentMb(child.pid);
  child.stdin.end();
  child.kill();
  times.sort((a, b) => a - b);
  return { start, idle, after, processor, p50: quantile(times, 0.5) ?? 0, p99: quantile(times, 0.99) ?? 0 };
}

const results = new Map(servers.concat([all]).map(([name]) => [name, []]));
for (let round = 0; round < Number(rounds); round++) {
  for (const server of servers) results.get(server[0]).push(await measure(server, Number(calls)));
  results.get(all[0]).push(await measure(all, 0));
}
const best = (name, key) => Math.min(...results.get(name).map((result) => result[key]));
const shown = (value, digits = 1) => value.toFixed(digits);
console.log("| server | start ms | p50 us | p99 us | CPU us/call | idle MB | after MB |");
console.log("|---|---|---|---|---|---|---|");
for (const name of results.keys()) {
  const figures = ["start", "p50", "p99", "processor", "idle", "after"].map((key) => shown(best(name, key)));
  console.log(`| ${name} | ${figures.join(" | ")} |`);
}
const ratio = (key, peer) => shown(best("proofstone", key) / best(peer, key), 3);
console.log(`\np50 against TypeScript: ${ratio("p50", "TypeScript SDK 2.4.0")}; against Python: ${ratio("p50", "Python mcp 2.3.0")}`);

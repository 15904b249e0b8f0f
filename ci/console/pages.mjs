// The console's pages in a real browser, with data from real calls: each shows what it must, says
// nothing on the browser's console, has no serious accessibility finding, and has its picture taken.
//
// pages.mjs REPOSITORY PICTURES
import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { chromium } from "playwright-core";

const [repository, pictures] = process.argv.slice(2);
const binary = process.env.PROOFSTONE_BIN ?? join(repository, "target/debug/proofstone");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const scratch = mkdtempSync(join(tmpdir(), "proofstone-console-"));
mkdirSync(pictures, { recursive: true });

const project = join(scratch, "shop");
const visible = (path) => !/\/\.[a-z]+$/.test(path);
cpSync(join(repository, "examples/shop"), project, { recursive: true, filter: visible });
cpSync(join(project, "coverage/before.info"), join(project, "coverage/lcov.info"));
cpSync(join(repository, "examples/vault"), join(project, "vault"), { recursive: true });

const surroundings = { ...process.env, PROOFSTONE_CACHE: join(scratch, "cache"), TMPDIR: scratch };
const servers = [];
const serve = (...more) => new Promise((resolve, reject) => {
  const child = spawn(binary, ["serve", "--root", project, "--http", "127.0.0.1:0", ...more], { env: surroundings });
  servers.push(child);
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
    if (address) resolve(address[0]);
  });
  child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
});

const problems = [];
let done = 0;
const step = async (name, work) => {
  try {
    await work();
    done += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    problems.push(name);
    console.log(`FAIL ${name}: ${error.stack ?? error}`);
  }
};

const finder = () => ["chromium", "chromium-browser", "google-chrome"].map((name) => {
  try { return execFileSync("which", [name]).toString().trim(); } catch { return ""; }
}).find(Boolean);
const browser = await chromium.launch({ executablePath: finder(), args: ["--no-sandbox"] });

/// A page whose every complaint is a failure.
const open = async (address, look = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...look });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  await page.goto(address);
  return page;
};

/// Looks a page over: nothing was complained about, axe finds nothing serious, a picture is taken.
const lookOver = async (page, name) => {
  // The policy forbids scripts from elsewhere, so axe runs in a world of its own.
  const findings = await page.evaluate(`${axe}; axe.run()`);
  const serious = findings.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  const told = serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
  assert.deepEqual(told, [], "accessibility");
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  assert.deepEqual(page.complaints, [], "the browser's console");
};

/// The documentation's pictures, made anew when PROOFSTONE_DOCS is set.
const forDocs = async (page, name, wait) => {
  if (!process.env.PROOFSTONE_DOCS) return;
  await page.locator("body").click({ position: { x: 5, y: 5 } });
  await page.waitForTimeout(wait);
  await page.evaluate("scrollTo(0, 0)");
  await page.screenshot({ path: join(repository, `docs/console-${name}.png`) });
};

const has = async (page, text) => {
  const body = await page.locator("main").innerText();
  assert.ok(body.includes(text), `"${text}" is not on the page:\n${body.slice(0, 1500)}`);
};

try {
  const server = await serve();
  const client = new Client({ name: "browser-test", version: "1.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server}/mcp`)));
  const call = (name, args = {}) => client.callTool({ name, arguments: args });
  await client.listTools();
  const overall = await call("get_overall_coverage", { lcovPath: "coverage/lcov.info" });
  await call("get_overall_coverage", { lcovPath: "nowhere.info" });
  await call("record_discovery", { type: "decision", content: "Amounts are whole cents <b>everywhere</b>" });
  const page = await open(server);

  await step("home shows toolsets, the client and its calls", async () => {
    for (const text of ["coverage", "fuzz", "mcp-test", "browser-test", "get_overall_coverage"]) await has(page, text);
    const row = page.locator("tr", { hasText: "get_overall_coverage" });
    const cells = await row.locator("td").allInnerTexts();
    assert.deepEqual(cells.slice(0, 4), ["get_overall_coverage", "2", "2", "1"]);
    assert.ok(Number.parseFloat(cells[6]) > 0, `p99 is ${cells[6]}`);
    await lookOver(page, "home");
  });

  await step("home is live", async () => {
    await call("get_overall_coverage", { lcovPath: "coverage/lcov.info" });
    const row = page.locator("tr", { hasText: "get_overall_coverage" });
    await row.getByText("3", { exact: true }).first().waitFor({ timeout: 10_000 });
  });

  await step("calls shows arguments, answers and failures", async () => {
    await page.goto(`${server}/calls?failed=yes`);
    await has(page, "FILE_NOT_FOUND");
    await page.goto(`${server}/calls?tool=get_overall_coverage`);
    await lookOver(page, "calls");
    await page.locator("tbody tr").last().locator("a").first().click();
    await has(page, "coverage/lcov.info");
    await has(page, String(overall.structuredContent.overall));
    await lookOver(page, "call");
  });

  await step("a tool can be tried from a form of its schema", async () => {
    await page.goto(`${server}/tools/get_file_coverage`);
    await page.locator("[name=lcovPath]").fill("coverage/lcov.info");
    await page.locator("[name=filePaths]").fill("src/cart.ts\nsrc/prices.ts");
    await lookOver(page, "tool");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await has(page, "src/prices.ts");
    await has(page, "Arguments and answer fit their schemas.");
  });

  await step("bad arguments are told, with the field", async () => {
    await page.goto(`${server}/tools/grep_codebase`);
    await page.locator("details", { hasText: "All arguments as JSON" }).locator("summary").click();
    await page.locator("[name=pattern]").evaluate((field) => field.removeAttribute("required"));
    await page.locator("[name=_json]").fill('{"pattern": 5}');
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await has(page, "/pattern");
  });

  await step("coverage shows the map, the files, a source and a snapshot's difference", async () => {
    await page.goto(`${server}/coverage`);
    await has(page, `${overall.structuredContent.overall} %`);
    assert.ok(await page.locator(".treemap rect").count() >= 3);
    await page.getByRole("button", { name: "Take a snapshot now" }).click();
    await has(page, "start_coverage_snapshot");
    await lookOver(page, "coverage");
    await page.getByRole("link", { name: "what changed since" }).first().click();
    await has(page, "No line changed its state.");
    cpSync(join(project, "coverage/after.info"), join(project, "coverage/lcov.info"));
    await page.reload();
    await has(page, "lost coverage although nobody touched them");
    assert.ok(await page.locator("main h2 a").count() > 0);
    await lookOver(page, "coverage-change");
    await page.goto(`${server}/coverage`);
    await page.locator("td a", { hasText: "checkout.ts" }).first().click();
    assert.ok(await page.locator("tr.hit").count() > 5 && await page.locator("tr.miss").count() > 0);
    await lookOver(page, "coverage-file");
  });

  await step("context answers while one types, with reasons", async () => {
    await page.goto(`${server}/context`);
    await page.keyboard.press("/");
    await page.keyboard.type("what does an article cost");
    await page.locator("#results li", { hasText: "prices.ts" }).first().waitFor({ timeout: 20_000 });
    await has(page, "because");
    await has(page, "Amounts are whole cents <b>everywhere</b>");
    await lookOver(page, "context");
  });

  await step("patterns can be searched, read, and their rules run", async () => {
    await page.goto(`${server}/patterns`);
    await page.getByRole("link", { name: "resilience" }).click();
    await page.getByRole("link", { name: "Retry", exact: false }).first().waitFor();
    await page.goto(`${server}/patterns`);
    await page.locator("[type=search]").fill("retry with backoff");
    await page.locator("#results .card").first().waitFor();
    await lookOver(page, "patterns");
    await page.locator("#results .card a").first().click();
    await has(page, "Use when");
    await lookOver(page, "pattern");
    await page.goto(`${server}/patterns/rules`);
    await has(page, "0 dead");
    await lookOver(page, "rules");
    await page.goto(`${server}/patterns/check?paths=src`);
    await has(page, "findings in");
    await lookOver(page, "check");
  });

  await step("fuzz is started, watched, steered and stopped", async () => {
    await page.goto(`${server}/fuzz`);
    await page.locator("[name=target]").fill("vault/artifacts/Vault.json");
    await page.locator("[name=testLimit]").fill("50000000");
    await page.locator("[name=workers]").fill("1");
    await page.getByRole("button", { name: "Start" }).click();
    await has(page, "running");
    await page.locator(".chart svg").first().waitFor({ timeout: 20_000 });
    await page.getByText("fails", { exact: false }).first().waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Prioritize" }).first().click();
    await has(page, "prioritized");
    await page.locator("summary", { hasText: "Foundry test" }).first().click();
    await lookOver(page, "fuzz");
    await forDocs(page, "fuzz", 12_000);
    await page.getByRole("button", { name: "Stop the campaign" }).click();
    await has(page, "stop_campaign");
    await has(page, "finished");
  });

  await step("a server is connected, browsed, called and checked", async () => {
    await page.goto(`${server}/mcp-test`);
    await lookOver(page, "mcp-test-connect");
    await page.locator("[name=command]").fill(binary);
    await page.locator("[name=args]").fill(`serve\n--root\n${project}\n--toolsets\ncoverage`);
    await page.getByRole("button", { name: "Connect" }).click();
    await has(page, "get_uncovered_lines");
    const tool = page.locator("details.tool", { hasText: "get_overall_coverage" });
    await tool.locator("summary").first().click();
    await tool.locator("textarea").fill('{"lcovPath": "coverage/lcov.info"}');
    await tool.getByRole("button", { name: "Call" }).click();
    const now = await call("get_overall_coverage", { lcovPath: "coverage/lcov.info" });
    await has(page, `"overall": ${now.structuredContent.overall}`);
    await page.getByRole("button", { name: "Check it" }).click();
    await page.getByText("Findings").waitFor({ timeout: 60_000 });
    await has(page, "Nothing was found.");
    await lookOver(page, "mcp-test");
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("button", { name: "Connect" }).waitFor();
  });

  await step("keys lead to pages and show their list", async () => {
    await page.goto(server);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL(`${server}/coverage`);
  });

  await step("it is dark where the person's screen is, and fits a phone", async () => {
    const dark = await open(`${server}/coverage`, { colorScheme: "dark" });
    await lookOver(dark, "coverage-dark");
    const phone = await open(server, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    for (const place of ["/", "/coverage", "/fuzz", "/patterns", "/context", "/calls", "/mcp-test"]) {
      await phone.goto(server + place);
      const wide = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const widest = await phone.evaluate(() => [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest(".scroll, pre")).map((e) => e.outerHTML.slice(0, 100)).at(0));
      assert.ok(wide <= 0, `${place} is ${wide} pixels too wide: ${widest}`);
    }
    await phone.goto(`${server}/coverage`);
    await lookOver(phone, "coverage-phone");
  });

  await step("pages work without their script", async () => {
    const plain = await open(`${server}/context?q=what+does+an+article+cost`, { javaScriptEnabled: false });
    await has(plain, "prices.ts");
  });

  await step("other pages and other names get nothing", async () => {
    const at = (headers, more = {}) => fetch(`${server}/`, { headers, ...more });
    const post = (headers, body = "x=1") => fetch(`${server}/tools/list_discoveries`, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", ...headers }, body });
    assert.match((await at({})).headers.get("content-security-policy"), /default-src 'none'/);
    assert.equal((await post({ origin: "http://evil.example" })).status, 403);
    assert.equal((await post({ "sec-fetch-site": "cross-site" })).status, 403);
    assert.equal((await post({})).status, 403, "a form without the key");
    const rebound = execFileSync("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: evil.example", server]);
    assert.equal(rebound.toString(), "403");
  });

  await step("a token is asked for where one is set", async () => {
    const guarded = await serve("--token", "open-sesame");
    assert.equal((await fetch(`${guarded}/calls`, { redirect: "manual" })).status, 303);
    const door = await open(guarded);
    await door.locator("[name=token]").fill("wrong");
    await door.getByRole("button").click();
    await has(door, "not the token");
    door.complaints.length = 0; // the browser reports the refusal
    await door.locator("[name=token]").fill("open-sesame");
    await lookOver(door, "sign-in");
    await door.getByRole("button").click();
    await has(door, "What is served");
    const header = { authorization: "Bearer open-sesame" };
    assert.equal((await fetch(`${guarded}/calls`, { headers: header })).status, 200);
  });

  await page.goto(server);
  await forDocs(page, "home", 0);
  await client.close();
} finally {
  await browser.close();
  await Promise.all(servers.map((child) => new Promise((ended) => {
    child.removeAllListeners("exit").on("exit", ended);
    child.kill("SIGTERM");
  })));
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${done} passed, ${problems.length} failed`);
process.exitCode = problems.length === 0 ? 0 : 1;

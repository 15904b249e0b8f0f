// Compiles contracts/*.sol into artifacts/*.json, keeping only what the tests read.
// Usage: NODE_PATH=/folder/with/node_modules node compile.cjs [FOLDER …]
const fs = require("fs"), path = require("path"), solc = require("solc");
const folders = process.argv.length > 2 ? process.argv.slice(2) : [__dirname];
for (const folder of folders) {
  const out = path.join(folder, "artifacts");
  fs.mkdirSync(out, { recursive: true });
  for (const name of fs.readdirSync(path.join(folder, "contracts")).filter((n) => n.endsWith(".sol")).sort()) {
    const content = fs.readFileSync(path.join(folder, "contracts", name), "utf8");
    const lines = /^\/\/ keep: sources$/m.test(content);
    const input = {
      language: "Solidity",
      sources: { [name]: { content } },
      settings: {
        optimizer: { enabled: !lines, runs: 200 },
        metadata: { appendCBOR: false },
        outputSelection: { "*": { "*": ["abi", "evm.bytecode", "evm.deployedBytecode", ...(lines ? ["storageLayout"] : [])], "": lines ? ["ast"] : [] } },
      },
    };
    const output = JSON.parse(solc.compile(JSON.stringify(input)));
    const errors = (output.errors || []).filter((e) => e.severity === "error");
    if (errors.length) { console.error(errors.map((e) => e.formattedMessage).join("\n")); process.exitCode = 1; continue; }
    const kept = { contracts: { [name]: {} } };
    for (const [contract, c] of Object.entries(output.contracts[name])) {
      const code = (b) => ({ object: b.object, linkReferences: b.linkReferences, ...(b.immutableReferences ? { immutableReferences: b.immutableReferences } : {}), ...(lines ? { sourceMap: b.sourceMap } : {}) });
      kept.contracts[name][contract] = { abi: c.abi, evm: { bytecode: code(c.evm.bytecode), deployedBytecode: code(c.evm.deployedBytecode) }, ...(lines ? { storageLayout: c.storageLayout } : {}) };
    }
    if (lines) { kept.sources = output.sources; kept.input = { sources: input.sources }; }
    fs.writeFileSync(path.join(out, name.replace(/\.sol$/, ".json")), JSON.stringify(kept) + "\n");
  }
}

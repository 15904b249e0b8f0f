// Compiles contracts/*.sol of the folders named (or of this one) into artifacts/*.json with sources, source maps and layouts.
// Usage: NODE_PATH=/folder/with/node_modules node compile.cjs [FOLDER …]   (npm package `solc`)
const fs = require("fs"), path = require("path"), solc = require("solc");
const folders = process.argv.length > 2 ? process.argv.slice(2) : [__dirname];
for (const folder of folders) {
  const out = path.join(folder, "artifacts");
  fs.mkdirSync(out, { recursive: true });
  for (const name of fs.readdirSync(path.join(folder, "contracts")).sort()) {
    const content = fs.readFileSync(path.join(folder, "contracts", name), "utf8");
    const source = `contracts/${name}`;
    const input = {
      language: "Solidity",
      sources: { [source]: { content } },
      settings: {
        optimizer: { enabled: false },
        metadata: { appendCBOR: false },
        outputSelection: { "*": { "*": ["abi", "storageLayout", "evm.bytecode.object", "evm.bytecode.sourceMap", "evm.deployedBytecode.object", "evm.deployedBytecode.sourceMap"], "": ["ast"] } },
      },
    };
    const output = JSON.parse(solc.compile(JSON.stringify(input)));
    const errors = (output.errors || []).filter((e) => e.severity === "error");
    if (errors.length) throw new Error(errors.map((e) => e.formattedMessage).join("\n"));
    const artifact = { contracts: output.contracts, sources: output.sources, input: { sources: input.sources } };
    fs.writeFileSync(path.join(out, name.replace(/\.sol$/, ".json")), JSON.stringify(artifact) + "\n");
  }
}

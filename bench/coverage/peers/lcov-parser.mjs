// npm @friedemannsommer/lcov-parser, as a peer: node lcov-parser.mjs FILE
import { createReadStream } from "node:fs";
import lcovParser from "@friedemannsommer/lcov-parser";
const parse = lcovParser.default ?? lcovParser;
const files = await parse({ from: createReadStream(process.argv[2]) });
console.log(files.reduce((sum, file) => sum + file.lines.hit, 0), "of", files.reduce((sum, file) => sum + file.lines.instrumented, 0), "lines");

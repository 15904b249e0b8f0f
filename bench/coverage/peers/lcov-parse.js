// npm lcov-parse, as a peer: node lcov-parse.js FILE
require("lcov-parse")(process.argv[2], (error, files) => {
  if (error) throw error;
  console.log(files.reduce((sum, file) => sum + file.lines.hit, 0), "of", files.reduce((sum, file) => sum + file.lines.found, 0), "lines");
});

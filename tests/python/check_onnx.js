// Run every model that export_test_onnx left in a directory, and compare with
// what the estimators say, to 1e-5. Usage: node check_onnx.js MODULES DIRECTORY
'use strict';
const fs = require('fs');
const path = require('path');
const [modules, directory] = process.argv.slice(2);
const ort = require(path.join(modules, 'onnxruntime-node'));

async function check(name) {
  const lines = fs.readFileSync(path.join(directory, name + '.txt'), 'utf8')
    .trim().split('\n').map(line => Float64Array.from(line.split(' '), Number));
  const session = await ort.InferenceSession.create(
    path.join(directory, name + '.onnx'), {logSeverityLevel: 3});
  if (session.inputNames.join() !== 'theta,x' ||
      session.outputNames.join() !== 'log_ratio')
    throw new Error(`${name}: ${session.inputNames} -> ${session.outputNames}`);
  const rows = lines[2].length;
  const shape = JSON.parse(fs.readFileSync(
    path.join(directory, name + '.shape'), 'utf8'));
  const out = await session.run({
    theta: new ort.Tensor('float64', lines[0], [rows, lines[0].length / rows]),
    x: new ort.Tensor('float64', lines[1], [rows, ...shape]),
  });
  let worst = 0;
  for (let i = 0; i < rows; i++)
    worst = Math.max(worst, Math.abs(out.log_ratio.data[i] - lines[2][i]) /
                            Math.max(1, Math.abs(lines[2][i])));
  console.log(`${name}: ${rows} rows, farthest ${worst.toExponential(1)}`);
  if (!(worst <= 1e-5))
    throw new Error(`${name}: ${out.log_ratio.data} instead of ${lines[2]}`);
}

(async () => {
  const names = fs.readdirSync(directory).filter(f => f.endsWith('.onnx'))
    .map(f => f.slice(0, -5));
  if (names.length < 10)
    throw new Error(`only ${names.length} models`);
  for (const name of names)
    await check(name);
})().catch(error => { console.error(error.message); process.exit(1); });

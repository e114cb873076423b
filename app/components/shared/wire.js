// Reads what wire.py packed: uint32 length, JSON header, raw little-endian arrays.

let HALVES = null; // float16 bits -> number, computed once

function halves() {
  if (HALVES) return HALVES;
  HALVES = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits += 1) {
    const exponent = (bits >> 10) & 31, fraction = bits & 1023;
    let value;
    if (exponent === 31) value = fraction ? NaN : Infinity;
    else if (exponent === 0) value = fraction * 2 ** -24;
    else value = (1 + fraction / 1024) * 2 ** (exponent - 15);
    HALVES[bits] = bits & 32768 ? -value : value;
  }
  return HALVES;
}

const KINDS = { float32: Float32Array, float16: Uint16Array, uint8: Uint8Array };

function unpack(bytes) {
  // a typed array must start at a multiple of its size; protobuf hands out any offset
  const block = bytes.byteOffset % 8 ? bytes.slice() : bytes;
  const length = new DataView(block.buffer, block.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(block.subarray(4, 4 + length)));
  const arrays = {};
  for (const [name, { dtype, shape, offset }] of Object.entries(header.arrays)) {
    const count = shape.reduce((a, b) => a * b, 1);
    const data = new KINDS[dtype](block.buffer, block.byteOffset + 4 + length + offset, count);
    arrays[name] = { dtype, shape, data, slices: new Map() };
  }
  delete header.arrays;
  return { header, arrays };
}

// `length` numbers from `start` as floats; float16 is decoded once per slice and kept
function floats(array, start, length) {
  if (array.dtype !== "float16") return array.data.subarray(start, start + length);
  let slice = array.slices.get(start);
  if (!slice) {
    const table = halves();
    slice = new Float32Array(length);
    for (let i = 0; i < length; i += 1) slice[i] = table[array.data[start + i]];
    array.slices.set(start, slice);
  }
  return slice;
}

// The browser's copy of app/mask.py: a mask as text, and its cells (1: this query may read this key).

const DIGIT = 4;

function cellsOf(mask, n) {
  const [what, rest = ""] = mask.split(":"), cells = new Uint8Array(n * n);
  if (what === "hand") {
    rest.split(".").forEach((row, q) => {
      const spare = DIGIT * row.length - n, bits = parseInt(row, 16);
      for (let k = 0; k < n; k += 1) cells[q * n + k] = (bits >> (n - 1 - k + spare)) & 1;
    });
    return cells;
  }
  const triangle = what === "causal" || what === "both";
  for (let q = 0; q < n; q += 1) for (let k = 0; k < n; k += 1) cells[q * n + k] = (!triangle || k <= q) && rest[k] !== "0" ? 1 : 0;
  return cells;
}

function drawn(cells, n) {
  const digits = Math.ceil(n / DIGIT), rows = [];
  for (let q = 0; q < n; q += 1) {
    const bits = Array.from(cells.subarray(q * n, q * n + n)).join("").padEnd(DIGIT * digits, "0");
    rows.push(parseInt(bits, 2).toString(16).padStart(digits, "0"));
  }
  return `hand:${rows.join(".")}`;
}

const isPadding = (mask) => mask.startsWith("pad:") || mask.startsWith("both:");

// the padding with one key hidden or shown
function withKey(mask, k) {
  const [what, bits] = mask.split(":");
  return `${what}:${bits.slice(0, k)}${bits[k] === "1" ? "0" : "1"}${bits.slice(k + 1)}`;
}

// The browser's copy of core.sampling: temperature, then top-k, then top-p over what is left, renormalised after each.
// Temperature 0 is greedy. Ties go to the lowest ids. Top-p keeps the smallest set whose mass reaches p, the crossing
// token included, never empty; sums are compared with a tolerance of 1e-9; p = 1 cuts nothing. All in float64.

const MASS_TOLERANCE = 1e-9;

// ids from the largest logit down, ties by id; once per set of logits
function ranked(logits) {
  const order = new Uint32Array(logits.length);
  for (let i = 0; i < order.length; i += 1) order[i] = i;
  return order.sort((a, b) => logits[b] - logits[a] || a - b);
}

function refuse(logits) {
  let finite = 0;
  for (let i = 0; i < logits.length; i += 1) {
    if (Number.isNaN(logits[i]) || logits[i] === Infinity) throw new RangeError("logits hold values that are no numbers");
    if (logits[i] !== -Infinity) finite += 1;
  }
  if (!finite) throw new RangeError("every logit is minus infinity");
}

function distribution(logits, { temperature = 1, topK = 0, topP = 1 } = {}, order = null) {
  if (!(temperature >= 0 && temperature < Infinity)) throw new RangeError("temperature must be a number from 0 up");
  if (!(topK >= 0 && Number.isInteger(topK))) throw new RangeError("top-k must be a whole number from 0 up");
  if (!(topP >= 0 && topP <= 1)) throw new RangeError("top-p must lie between 0 and 1");
  if (order === null) { refuse(logits); order = ranked(logits); }
  const n = logits.length, tempered = new Float64Array(n), probs = new Float64Array(n), kept = new Uint8Array(n);
  const best = order[0];
  if (temperature === 0) {
    tempered[best] = 1;
    probs[best] = 1;
    kept[best] = 1;
    return { tempered, kept, probs, nKept: 1, discarded: 0 };
  }
  const top = logits[best];
  let total = 0;
  for (let i = 0; i < n; i += 1) {
    const e = logits[i] === -Infinity ? 0 : Math.exp((logits[i] - top) / temperature);
    tempered[i] = e;
    total += e;
  }
  for (let i = 0; i < n; i += 1) tempered[i] /= total;

  let nKept = topK > 0 && topK < n ? topK : n;
  let mass = 1;
  if (nKept < n) {
    mass = 0;
    for (let r = 0; r < nKept; r += 1) mass += tempered[order[r]];
  }
  if (topP < 1) {
    let cumulative = 0, r = 0;
    while (r < nKept) {
      cumulative += tempered[order[r]] / mass;
      r += 1;
      if (cumulative >= topP - MASS_TOLERANCE) break;
    }
    nKept = r;
    mass *= cumulative;
  }
  if (nKept === n) {
    probs.set(tempered);
    kept.fill(1);
  } else {
    for (let r = 0; r < nKept; r += 1) {
      const id = order[r];
      kept[id] = 1;
      probs[id] = tempered[id] / mass;
    }
  }
  return { tempered, kept, probs, nKept, discarded: nKept === n ? 0 : Math.max(0, 1 - mass) };
}

// where u in [0, 1) lands on the tokens laid end to end in id order
function draw(probs, u) {
  let cumulative = 0, last = 0;
  for (let id = 0; id < probs.length; id += 1) {
    if (probs[id] <= 0) continue;
    cumulative += probs[id];
    last = id;
    if (u < cumulative) return id;
  }
  return last;
}

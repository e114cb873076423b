// One head as a heatmap: query down, key across, cells at whole pixels, masked cells blank.

const TITLE = 20, BAR = 62;

// values, mask and range of the open head; null where this layer was not sent
function openMap(payload, layer, head) {
  const { first_layer, kind } = payload.header, [layers, heads, rows, cols] = payload.arrays.maps.shape;
  const at = layer - first_layer;
  if (at < 0 || at >= layers || head >= heads) return null;
  payload.opened = payload.opened || new Map();
  const id = at * heads + head;
  let found = payload.opened.get(id);
  if (!found) {
    const values = floats(payload.arrays.maps, id * rows * cols, rows * cols);
    const mask = payload.arrays.mask ? payload.arrays.mask.data : null, allowed = new Uint8Array(rows * cols);
    let largest = 0, any = false;
    for (let i = 0; i < allowed.length; i += 1) {
      if ((mask && !mask[i]) || !Number.isFinite(values[i])) continue;
      allowed[i] = 1;
      any = true;
      const size = kind === "scores" ? Math.abs(values[i]) : values[i];
      if (size > largest) largest = size;
    }
    found = { values, allowed, rows, cols, largest, any };
    payload.opened.set(id, found);
  }
  return found;
}

// where everything lies; window: {q0, q1, k0, k1} of the cells shown
function heatPlan(ctx, width, height, queries, keys, window_, palette) {
  const nq = window_.q1 - window_.q0, nk = window_.k1 - window_.k0;
  ctx.font = `600 15px ${palette.font}`;
  const widest = (labels, from, to) => {
    let most = 0;
    const step = Math.max(1, Math.floor((to - from) / 64));
    for (let i = from; i < to; i += step) most = Math.max(most, Math.ceil(ctx.measureText(shortened(labels[i].text, 14)).width) + 2);
    return Math.min(most, 96);
  };
  const left = TITLE + 8 + widest(queries, window_.q0, window_.q1), long = widest(keys, window_.k0, window_.k1);
  let cellW = (width - left - BAR) / nk;
  const flat = long + 8 <= cellW;
  const top = TITLE + 2 + (flat ? 18 : Math.min(84, long * 0.71 + 14));
  let cellH = (height - top - 8) / nq;
  cellW = Math.min(cellW, cellH * 3, 150);
  cellH = Math.min(cellH, cellW * 3, 150);
  if (nq === nk) cellW = cellH = Math.min(cellW, cellH);
  const unit = window.devicePixelRatio || 1;
  const snap = (size) => (size * unit >= 2 ? Math.floor(size * unit) / unit : size);
  cellW = snap(cellW);
  cellH = snap(cellH);
  return { left: Math.round(left), top: Math.round(top), cellW, cellH, nq, nk, w: cellW * nk, h: cellH * nq, flat, long, width, height };
}

function levels(map, kind, scaleMax) {
  if (kind === "scores") return { low: -(map.largest || 1), high: map.largest || 1 };
  return { low: 0, high: scaleMax ? map.largest || 1 : 1 };
}

const CELLS = document.createElement("canvas");

function paintCells(ctx, map, plan, window_, table, range, palette) {
  const { nq, nk, left, top, cellW, cellH } = plan;
  CELLS.width = nk;
  CELLS.height = nq;
  const cells = CELLS.getContext("2d"), image = cells.createImageData(nk, nq), pixels = new Uint32Array(image.data.buffer);
  const factor = 255 / (range.high - range.low), line = channels(palette.hairline);
  const edge = ((255 << 24) | (line[2] << 16) | (line[1] << 8) | line[0]) >>> 0;
  const gap = Math.min(cellW, cellH) >= 9 ? 1 : 0, under = gap ? new Uint32Array(pixels.length) : null;
  for (let q = 0; q < nq; q += 1) {
    const row = (window_.q0 + q) * map.cols + window_.k0;
    for (let k = 0; k < nk; k += 1) {
      if (!map.allowed[row + k]) continue;
      const level = Math.round((map.values[row + k] - range.low) * factor);
      pixels[q * nk + k] = table[level < 0 ? 0 : level > 255 ? 255 : level];
      if (under) under[q * nk + k] = edge;
    }
  }
  ctx.imageSmoothingEnabled = false;
  if (!gap) {
    cells.putImageData(image, 0, 0);
    ctx.drawImage(CELLS, left, top, plan.w, plan.h);
    return;
  }
  for (let q = 0; q < nq; q += 1) for (let k = 0; k < nk; k += 1) {
    const entry = pixels[q * nk + k];
    if (!entry) continue;
    const x = left + k * cellW, y = top + q * cellH;
    ctx.fillStyle = palette.hairline;
    ctx.fillRect(x - 0.5, y - 0.5, cellW, cellH);
    ctx.fillStyle = css(entry);
    ctx.fillRect(x, y, cellW - gap, cellH - gap);
  }
}

// the value in each cell, where it is large enough to be read from the back row
function paintNumbers(ctx, map, plan, window_, table, range, palette, kind) {
  if (plan.cellW < 40 || plan.cellH < 22) return;
  ctx.font = `14px ${palette.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const factor = 255 / (range.high - range.low);
  for (let q = 0; q < plan.nq; q += 1) for (let k = 0; k < plan.nk; k += 1) {
    const at = (window_.q0 + q) * map.cols + window_.k0 + k, value = map.values[at];
    if (!map.allowed[at]) continue;
    const entry = table[Math.min(255, Math.max(0, Math.round((value - range.low) * factor)))];
    const faint = kind === "pattern" && value < 0.05;
    ctx.fillStyle = faint ? palette.muted : inkOn(entry);
    ctx.fillText(shortNumber(value), plan.left + (k + 0.5) * plan.cellW - 0.5, plan.top + (q + 0.5) * plan.cellH + 0.5);
  }
}

function paintBar(ctx, plan, table, range, palette) {
  const x = plan.left + plan.w + 14, w = 12, h = Math.max(70, Math.min(plan.h, 420)), y = plan.top;
  for (let i = 0; i < h; i += 1) {
    ctx.fillStyle = css(table[255 - Math.round((i / (h - 1)) * 255)]);
    ctx.fillRect(x, y + i, w, 1);
  }
  ctx.strokeStyle = palette.hairline;
  ctx.lineWidth = 1;
  ctx.strokeRect(x - 0.5, y - 0.5, w + 1, h + 1);
  ctx.fillStyle = palette.ink;
  ctx.font = `14px ${palette.font}`;
  ctx.textAlign = "left";
  const text = (value) => (range.low === 0 && range.high === 1 && value % 1 === 0 ? String(value) : shortNumber(value));
  ctx.textBaseline = "top";
  ctx.fillText(text(range.high), x + w + 5, y - 2);
  ctx.textBaseline = "middle";
  ctx.fillText(range.low < 0 ? "0" : text((range.low + range.high) / 2), x + w + 5, y + h / 2);
  ctx.textBaseline = "bottom";
  ctx.fillText(text(range.low), x + w + 5, y + h + 2);
}

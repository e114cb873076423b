// All layers x heads at a glance: one picture holds every small map, drawn tile by tile.

const GUTTER = 30;

function atlas(payload, palette) {
  const { n_layers, n_heads, kind } = payload.header, { shape, data } = payload.arrays.overview;
  const [, , rows, cols] = shape, table = kind === "scores" ? palette.scores : palette.weights;
  const picture = document.createElement("canvas");
  picture.width = n_heads * cols;
  picture.height = n_layers * rows;
  const ctx = picture.getContext("2d"), image = ctx.createImageData(picture.width, picture.height);
  const pixels = new Uint32Array(image.data.buffer), blank = kind === "scores";
  let at = 0;
  for (let layer = 0; layer < n_layers; layer += 1) for (let head = 0; head < n_heads; head += 1) for (let r = 0; r < rows; r += 1) {
    const line = (layer * rows + r) * picture.width + head * cols;
    for (let c = 0; c < cols; c += 1, at += 1) {
      const level = data[at];
      pixels[line + c] = blank && level === 0 ? 0 : table[level];
    }
  }
  ctx.putImageData(image, 0, 0);
  return { picture, rows, cols };
}

function overviewPlan(header, rows, cols, width, height) {
  const { n_layers, n_heads } = header, gap = n_heads > 8 || n_layers > 8 ? 3 : 6;
  const ratio = Math.min(2.5, Math.max(0.4, rows / cols));
  const across = (width - GUTTER - 2) / n_heads - gap, down = (height - GUTTER - 2) / n_layers - gap;
  const w = Math.max(6, Math.floor(Math.min(across, down / ratio, 130))), h = Math.max(6, Math.round(w * ratio));
  return { w, h, gap, width, height: GUTTER + n_layers * (h + gap) + 2 };
}

// state: {layer, head} open, hover {layer, head} or null
function paintOverview(canvas, payload, palette, pictures, plan, state, words) {
  const { n_layers, n_heads } = payload.header, ctx = fit(canvas, plan.width, plan.height);
  const { w, h, gap } = plan, { picture, rows, cols } = pictures;
  ctx.font = `14px ${palette.font}`;
  ctx.fillStyle = palette.muted;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  const stepH = Math.max(1, Math.ceil(20 / (w + gap))), stepL = Math.max(1, Math.ceil(16 / (h + gap)));
  for (let head = 0; head < n_heads; head += stepH) ctx.fillText(head, GUTTER + head * (w + gap) + w / 2, GUTTER - 9);
  ctx.textAlign = "right";
  for (let layer = 0; layer < n_layers; layer += stepL) ctx.fillText(layer, GUTTER - 8, GUTTER + layer * (h + gap) + h / 2);
  ctx.imageSmoothingEnabled = w * (window.devicePixelRatio || 1) < cols;
  ctx.imageSmoothingQuality = "high";
  for (let layer = 0; layer < n_layers; layer += 1) for (let head = 0; head < n_heads; head += 1) {
    const x = GUTTER + head * (w + gap), y = GUTTER + layer * (h + gap);
    ctx.fillStyle = palette.surface;
    ctx.fillRect(x, y, w, h);
    ctx.drawImage(picture, head * cols, layer * rows, cols, rows, x, y, w, h);
    ctx.strokeStyle = palette.hairline;
    ctx.lineWidth = 1;
    ctx.strokeRect(x - 0.5, y - 0.5, w + 1, h + 1);
  }
  const frame = (tile, color, thick) => {
    if (!tile || tile.layer >= n_layers || tile.head >= n_heads) return;
    ctx.strokeStyle = color;
    ctx.lineWidth = thick;
    ctx.strokeRect(GUTTER + tile.head * (w + gap) - 1.5, GUTTER + tile.layer * (h + gap) - 1.5, w + 3, h + 3);
  };
  frame(state.hover, palette.muted, 2);
  frame(state, palette.accent, 3);
  canvas.setAttribute("aria-label", filled(words.overview_label, { n_layers, n_heads, layer: state.layer, head: state.head }));
}

function tileAt(header, plan, x, y) {
  const head = Math.floor((x - GUTTER + plan.gap / 2) / (plan.w + plan.gap)), layer = Math.floor((y - GUTTER + plan.gap / 2) / (plan.h + plan.gap));
  return head >= 0 && layer >= 0 && head < header.n_heads && layer < header.n_layers ? { layer, head } : null;
}

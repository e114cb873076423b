// The draw itself: kept tokens end to end in id order on a line from 0 to 1, and where u falls.

const LINE_HEIGHT = 58;

function paintLine(canvas, width, probs, u, landed, drawn, nameOf, palette) {
  const ctx = fit(canvas, width, LINE_HEIGHT), top = 12, height = 28, edge = 8, span = width - 2 * edge;
  ctx.font = `14px ${palette.font}`;
  ctx.textBaseline = "middle";
  ctx.fillStyle = palette.hairline;
  ctx.fillRect(edge, top, span, height);
  let at = 0, turn = 0;
  const light = css(palette.weights[palette.mode === "dark" ? 52 : 36]), dark = css(palette.weights[palette.mode === "dark" ? 80 : 60]);
  for (let id = 0; id < probs.length; id += 1) {
    const p = probs[id];
    if (p <= 0) continue;
    const x = edge + at * span, w = p * span;
    at += p;
    turn += 1;
    if (w < 0.35 && id !== landed && id !== drawn) continue;
    ctx.fillStyle = id === drawn ? palette.amber : id === landed ? palette.accent : turn % 2 ? light : dark;
    ctx.fillRect(x, top, Math.max(id === landed ? 1.5 : 0.5, w - (w > 4 ? 1 : 0)), height);
    if (w < 26) continue;
    const name = fitted(ctx, nameOf(id), w - 8);
    if (name.length < 2 && name === "…") continue;
    ctx.fillStyle = id === landed || id === drawn ? palette.surface : palette.mode === "dark" ? "#FFFFFF" : palette.ink;
    ctx.textAlign = "center";
    ctx.fillText(name, x + w / 2, top + height / 2 + 1);
  }
  ctx.fillStyle = palette.muted;
  ctx.textBaseline = "top";
  for (const [value, align, x, near] of [["0", "left", edge, u !== null && u < 0.2], ["1", "right", width - edge, u > 0.8]]) {
    if (near) continue; // the label of u stands there
    ctx.textAlign = align;
    ctx.fillText(value, x, top + height + 4);
  }
  if (u === null) return;
  const x = edge + u * span;
  ctx.fillStyle = palette.ink;
  ctx.fillRect(x - 1, top - 3, 2, height + 6);
  ctx.beginPath();
  ctx.moveTo(x, top - 1);
  ctx.lineTo(x - 7, 0);
  ctx.lineTo(x + 7, 0);
  ctx.fill();
  ctx.textAlign = "center";
  const label = `u = ${u.toFixed(3)}`, half = ctx.measureText(label).width / 2;
  ctx.fillText(label, Math.min(width - half, Math.max(half, x)), top + height + 4);
}

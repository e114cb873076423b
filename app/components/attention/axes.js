// Token labels along both axes: thinned so that none overlaps, one more for the row or column under the pointer.

function labelStep(count, cell, need) {
  return Math.max(1, Math.ceil(need / cell), Math.ceil(count / 32));
}

function tokenStyle(ctx, label, palette, bold) {
  ctx.font = `${bold ? "600 " : ""}15px ${palette.font}`;
  ctx.fillStyle = bold ? palette.accent : label.special || label.padding ? palette.muted : palette.ink;
}

function rowLabel(ctx, plan, label, q, palette, bold) {
  tokenStyle(ctx, label, palette, bold);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const text = fitted(ctx, label.text, plan.left - TITLE - 8), y = plan.top + (q + 0.5) * plan.cellH;
  ctx.fillText(text, plan.left - 6, y + 0.5);
}

function columnLabel(ctx, plan, label, k, palette, bold) {
  tokenStyle(ctx, label, palette, bold);
  const x = plan.left + (k + 0.5) * plan.cellW, text = fitted(ctx, label.text, plan.flat ? plan.cellW - 4 : 98);
  const width = ctx.measureText(text).width;
  ctx.save();
  if (plan.flat) {
    ctx.translate(x - width / 2, plan.top - 12);
  } else {
    ctx.translate(x - 2, plan.top - 7);
    ctx.rotate(-Math.PI / 4);
  }
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text, 0, 0);
  ctx.restore();
}

const ROW_NEED = 17, COLUMN_NEED = 22;

// all labels but those that would touch one in bold (rows, columns: positions in the window)
function paintLabels(ctx, plan, window_, queries, keys, palette, rows, columns) {
  const needK = plan.flat ? 1 : COLUMN_NEED, stepQ = labelStep(plan.nq, plan.cellH, ROW_NEED), stepK = labelStep(plan.nk, plan.cellW, needK);
  const free = (at, taken, cell, need) => taken.every((each) => Math.abs(each - at) * cell >= need);
  for (let q = 0; q < plan.nq; q += stepQ) if (free(q, rows, plan.cellH, ROW_NEED)) rowLabel(ctx, plan, queries[window_.q0 + q], q, palette, false);
  for (let k = 0; k < plan.nk; k += stepK) if (free(k, columns, plan.cellW, needK)) columnLabel(ctx, plan, keys[window_.k0 + k], k, palette, false);
  for (const q of rows) rowLabel(ctx, plan, queries[window_.q0 + q], q, palette, true);
  for (const k of columns) columnLabel(ctx, plan, keys[window_.k0 + k], k, palette, true);
}

function paintTitles(ctx, plan, palette, words) {
  ctx.font = `14px ${palette.font}`;
  ctx.fillStyle = palette.muted;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(`${words.key_axis} →`, plan.left, 1);
  ctx.save();
  ctx.translate(1, plan.top + plan.h);
  ctx.rotate(-Math.PI / 2);
  const title = `← ${words.query_axis}`, room = Math.max(plan.h, 110);
  ctx.textAlign = "left";
  ctx.translate(plan.h > 110 ? plan.h - ctx.measureText(title).width : Math.min(0, plan.h - room + 10), 0);
  ctx.fillText(title, 0, 0);
  ctx.restore();
}

// crosshair, the chosen row, and the labels of what is pointed at
function paintOver(ctx, plan, window_, queries, keys, palette, chosen, hover) {
  const inQ = (q) => q >= window_.q0 && q < window_.q1, inK = (k) => k >= window_.k0 && k < window_.k1;
  ctx.lineWidth = 2;
  if (inQ(chosen)) {
    const q = chosen - window_.q0, y = plan.top + q * plan.cellH, h = Math.max(plan.cellH, 3);
    ctx.strokeStyle = palette.accent;
    ctx.strokeRect(plan.left - 1.5, y - 1.5, plan.w + 2, h + 2);
  }
  const pointed = hover && inQ(hover.q) && inK(hover.k), rows = inQ(chosen) ? [chosen - window_.q0] : [];
  if (pointed && hover.q !== chosen) {
    const q = hover.q - window_.q0;
    if (rows.length && Math.abs(rows[0] - q) * plan.cellH < ROW_NEED) rows.pop();
    rows.push(q);
  }
  paintLabels(ctx, plan, window_, queries, keys, palette, rows, pointed ? [hover.k - window_.k0] : []);
  if (!pointed) return;
  const q = hover.q - window_.q0, k = hover.k - window_.k0, x = plan.left + k * plan.cellW, y = plan.top + q * plan.cellH;
  ctx.fillStyle = palette.mode === "dark" ? "rgba(255,255,255,.10)" : "rgba(31,36,48,.07)";
  ctx.fillRect(plan.left, y, plan.w, plan.cellH);
  ctx.fillRect(x, plan.top, plan.cellW, plan.h);
  ctx.strokeStyle = palette.amber;
  ctx.strokeRect(x - 1.5, y - 1.5, Math.max(plan.cellW, 3) + 2, Math.max(plan.cellH, 3) + 2);
}

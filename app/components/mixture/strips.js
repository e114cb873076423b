// Vectors as rows of coloured cells, all on one scale, so that a product is as strong as it is large.

const ROW = 26;

// vectors first .. first + rows - 1 (maybe cut at the top: `first` is a fraction) of `d` numbers, read by value(row, i);
// the largest size on the scale is `most`
function paintStrips(canvas, width, height, first, count, d, value, most, palette) {
  const ctx = fit(canvas, width, height), cell = width / d;
  for (let row = Math.floor(first); row < count && (row - first) * ROW < height; row += 1) {
    for (let i = 0; i < d; i += 1) {
      const level = Math.round(127.5 + (127.5 * Math.max(-most, Math.min(most, value(row, i)))) / most);
      ctx.fillStyle = css(palette.scores[level]);
      const left = Math.round(i * cell), right = Math.round((i + 1) * cell);
      ctx.fillRect(left, (row - first) * ROW + 3, Math.max(1, right - left - (cell > 5 ? 1 : 0)), ROW - 6);
    }
  }
}

// which cell a pointer is on: {row, i}
function cellAt(canvas, event, d, first = 0) {
  const box = canvas.getBoundingClientRect();
  const i = Math.floor(((event.clientX - box.left) / box.width) * d), row = Math.floor((event.clientY - box.top) / ROW + first);
  return { row: Math.max(0, row), i: Math.min(d - 1, Math.max(0, i)) };
}

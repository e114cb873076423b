// Shares as bars: a row for each name, one bar in it or two (before and after), and the rest in one.

// what the full width can stand for
const FULL = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

// rows: [{name, values, note, marked, rest}]; returns the share that the full width stands for
function drawShares(holder, rows) {
  const most = Math.max(0, ...rows.filter((row) => !row.rest).flatMap((row) => row.values));
  const limit = FULL.find((each) => most <= each * 1.0001) || 1;
  holder.replaceChildren(...rows.map((row) => {
    const element = make("div", "gf-share"), name = make("bdi", "gf-share-name", row.name);
    const bars = make("span", "gf-share-bars"), numbers = make("span", "gf-share-numbers");
    name.title = row.name;
    row.values.forEach((value, at) => {
      const track = make("span", "gf-share-track"), bar = make("i", row.values.length > 1 && at === 0 ? "gf-share-before" : "gf-share-now");
      bar.style.width = `${100 * Math.min(1, value / limit)}%`;
      track.append(bar);
      bars.append(track);
      numbers.append(make("span", "", percent(value)));
      if (value > limit * 1.0001) track.dataset.torn = "";
    });
    element.toggleAttribute("data-marked", Boolean(row.marked));
    element.toggleAttribute("data-rest", Boolean(row.rest));
    element.append(name, bars, numbers, make("span", "gf-share-note", row.note || ""));
    return element;
  }));
  return limit;
}

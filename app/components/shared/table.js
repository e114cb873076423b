// The numbers of a picture as a table, built when it is opened and kept in step while it stays open.

function rowTable(details, words) {
  const summary = make("summary", "", words.table_of_row), holder = make("div", "gf-table-holder");
  details.replaceChildren(summary, holder);
  let rows = () => [];
  const build = () => {
    const { heads, lines, caption } = rows();
    const table = make("table", "gf-table"), top = make("tr");
    table.append(make("caption", "", caption));
    for (const each of heads) {
      const cell = make("th", "", each);
      cell.scope = "col";
      top.append(cell);
    }
    table.append(top);
    for (const line of lines) {
      const row = make("tr");
      line.forEach((text, at) => {
        const cell = make("td", at === 1 ? "gf-cell-token" : "");
        cell.append(make("bdi", "", text));
        row.append(cell);
      });
      table.append(row);
    }
    holder.replaceChildren(table);
  };
  let waiting = 0;
  details.addEventListener("toggle", () => { if (details.open) build(); else holder.replaceChildren(); });
  return {
    update(source) {
      rows = source;
      if (!details.open) return;
      clearTimeout(waiting);
      waiting = setTimeout(() => { if (details.open) build(); }, 120);
    },
  };
}

"use strict";
(() => {
  const root = document.documentElement;
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const one = (id) => document.getElementById(id);

  // Light or dark: as the reader's system has it, until the button is used.
  const theme = one("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
  const showTheme = () => theme.setAttribute("aria-pressed", String(isDark()));
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  prefersDark.addEventListener("change", showTheme);
  showTheme();

  const table = document.querySelector("table.columns");
  const columns = [...table.tBodies].map((body) => {
    const more = body.querySelector(".more > td > div");
    const button = body.querySelector("button");
    return { body, more, button, text: null };
  });

  // Folding out.
  const fold = (column, open) => {
    column.button.setAttribute("aria-expanded", String(open));
    if (open) column.more.removeAttribute("hidden");
    else column.more.setAttribute("hidden", "until-found");
  };
  const isOpen = (column) => column.button.getAttribute("aria-expanded") === "true";
  for (const column of columns) {
    column.more.addEventListener("beforematch", () => fold(column, true));
    column.body.querySelector(".row").addEventListener("click", (event) => {
      const elsewhere = !column.button.contains(event.target);
      if (elsewhere && String(window.getSelection())) return; // text is being selected
      fold(column, !isOpen(column));
    });
  }
  const unfold = one("unfold");
  unfold.addEventListener("click", () => {
    const open = unfold.getAttribute("aria-pressed") !== "true";
    unfold.setAttribute("aria-pressed", String(open));
    columns.filter((column) => !column.body.hidden).forEach((column) => fold(column, open));
  });

  // Searching and choosing: names and levels are in bdi.
  const search = one("search");
  const choices = all(".chosen button");
  const textOf = (column) => {
    column.text ??= all("bdi", column.body).map((e) => e.textContent.toLowerCase()).join("\n");
    return column.text;
  };
  let tag = "";
  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const column of columns) {
      const fits = (!tag || column.body.dataset.tags.split(" ").includes(tag))
        && (!wanted || textOf(column).includes(wanted));
      column.body.hidden = !fits;
      shown += fits;
    }
    const number = (n) => n.toLocaleString("en");
    one("count").textContent = `${number(shown)} of ${number(columns.length)} columns`;
    document.querySelector(".nothing").hidden = shown > 0;
  };
  search.addEventListener("input", show);
  for (const choice of choices) {
    choice.addEventListener("click", () => {
      tag = choice.dataset.tag;
      choices.forEach((other) => other.setAttribute("aria-pressed", String(other === choice)));
      show();
    });
  }

  // Sorting: columns without a value come last, equal ones as they were in the frame.
  const heads = [...table.tHead.rows[0].cells];
  const value = (column, place) => {
    const given = column.body.querySelector(".row").children[place].dataset.v;
    if (given === undefined || given === "") return null;
    return given.trim() !== "" && Number.isFinite(Number(given)) ? Number(given) : given;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  heads.forEach((head, place) => {
    const button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const first = head.dataset.first;
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const keyed = columns.map((column, number) => [value(column, place), number, column]);
      keyed.sort(([a, i], [b, j]) => {
        if (a === null || b === null) return (a === null) - (b === null) || i - j;
        return sign * compare(a, b) || i - j;
      });
      keyed.forEach(([, , column]) => table.append(column.body));
    });
  });

  // Of several classes, the one to look at.
  const classes = one("class");
  if (classes) {
    classes.addEventListener("change", () => {
      for (const part of all("[data-k]")) {
        part.hidden = classes.value !== "" && part.dataset.k !== classes.value;
      }
    });
  }

  // A link to a column folds it out, wherever a search has hidden it.
  const follow = () => {
    const column = columns.find(({ body }) => `#${body.id}` === window.location.hash);
    if (!column) return;
    if (column.body.hidden) {
      search.value = "";
      choices[0].click();
    }
    fold(column, true);
    column.body.scrollIntoView();
    column.button.focus({ preventScroll: true });
  };
  window.addEventListener("hashchange", follow);
  for (const link of all('a[href^="#c"]')) link.addEventListener("click", () => setTimeout(follow));
  follow();
})();

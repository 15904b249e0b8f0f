// The console's script. Pages work without it; with it they stay fresh, search while one types, and
// listen to keys. Everything it puts into a page was rendered, and escaped, by the server.
"use strict";

const fresh = async (address) => {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, redirect: "error" });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
};

// What a person opened stays open, and what they read stays where it is.
const replace = (place, html) => {
  const open = new Set();
  place.querySelectorAll("details").forEach((details, at) => details.open && open.add(at));
  place.innerHTML = html;
  place.querySelectorAll("details").forEach((details, at) => { if (open.has(at)) details.open = true; });
};

for (const place of document.querySelectorAll("[data-live]")) {
  const turn = async () => {
    const busy = document.hidden || place.contains(document.activeElement) || String(getSelection()).length > 0;
    if (!busy) {
      try { replace(place, await fresh(place.dataset.live)); } catch { /* the server may be gone for a moment */ }
    }
    setTimeout(turn, Number(place.dataset.every));
  };
  setTimeout(turn, Number(place.dataset.every));
}

for (const form of document.querySelectorAll("[data-instant]")) {
  const place = document.querySelector(form.dataset.instant);
  let waiting, latest = 0;
  const search = async () => {
    const number = ++latest;
    const words = new URLSearchParams(new FormData(form));
    history.replaceState(null, "", `${form.action.split("?")[0]}?${words}`);
    words.set("part", "results");
    try {
      const html = await fresh(`${form.action.split("?")[0]}?${words}`);
      if (number === latest) place.innerHTML = html;
    } catch { /* the form can still be sent */ }
  };
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 150); });
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
}

for (const field of document.querySelectorAll("[data-submit]")) {
  field.addEventListener("change", () => field.form.requestSubmit());
}

for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.confirm && !confirm(form.dataset.confirm)) return event.preventDefault();
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  });
}
// A page that comes back from the browser's memory must be usable again.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[disabled]")) button.disabled = false;
});

const keys = document.getElementById("keys");
let goes = false;
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "Escape" && typing) return typing.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (goes) {
    goes = false;
    document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  } else if (event.key === "g") {
    goes = true;
    setTimeout(() => { goes = false; }, 1000);
  } else if (event.key === "/") {
    const field = document.querySelector("[data-search], main input, main select");
    if (field) { event.preventDefault(); field.focus(); }
  } else if (event.key === "?" && keys) {
    keys.showModal();
  }
});

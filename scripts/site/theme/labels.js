// What the theme leaves out for readers who use a keyboard or a screen reader. It makes these
// elements while the page loads, so they are mended as they appear.
let blocks = 0;
const mend = () => {
  // The buttons of each code block are in a <nav> without a name: number them, so that these
  // landmarks differ.
  for (const buttons of document.querySelectorAll("nav.md-code__nav:not([aria-label])")) {
    buttons.setAttribute("aria-label", `Code block ${++blocks}`);
  }
  // A wide table scrolls inside its frame: let the keyboard reach it.
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    frame.setAttribute("tabindex", "0");
  }
};
new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
mend();

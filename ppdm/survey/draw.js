// The QR code of each address on the page; without a script the address stands there in letters.
"use strict";
for (const place of document.querySelectorAll("[data-qr]")) {
  const picture = qrcode(0, "M");
  picture.addData(place.dataset.qr);
  picture.make();
  place.innerHTML = picture.createSvgTag({ scalable: true, cellSize: 4, title: { text: `QR: ${place.dataset.qr}`, id: crypto.randomUUID?.() ?? `q${Math.random()}` } });
}

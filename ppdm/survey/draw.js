// The QR code of each address on the page; without a script the address stands there in letters.
"use strict";
document.querySelectorAll("[data-qr]").forEach((place, i) => {
  const picture = qrcode(0, "M"), title = { text: `QR: ${place.dataset.qr}`, id: `qr${i}` };
  picture.addData(place.dataset.qr);
  picture.make();
  place.innerHTML = picture.createSvgTag({ scalable: true, cellSize: 4, title });
});

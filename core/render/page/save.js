// The chart as a file.

function offer(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export const saveSvg = (svg) => offer(new Blob([svg], { type: "image/svg+xml" }), "roofline.svg");

/** Drawn at twice the size, for print. */
export function savePng(svg) {
  return new Promise((resolve, reject) => {
    const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth * 2;
      canvas.height = image.naturalHeight * 2;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(address);
      canvas.toBlob((blob) => {
        if (!blob) reject(new Error("the browser made no picture"));
        else resolve(offer(blob, "roofline.png"));
      }, "image/png");
    };
    image.onerror = () => reject(new Error("the browser cannot draw the picture"));
    image.src = address;
  });
}

import "@testing-library/jest-dom/vitest";

// Nothing is drawn here, so nothing is animated: what fades out goes at once.
Reflect.deleteProperty(Element.prototype, "animate");

/** The one catalogue of texts. A language is added beside these files; no component writes words of its own. */
export * from "./shell";
export * from "./chat";
export * from "./live";
export * from "./keyboard";
export * from "./media";
export * from "./lists";
export * from "./find";
export * from "./copies";
export * from "./trouble";
export * from "./model";

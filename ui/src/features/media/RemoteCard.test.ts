import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import RemoteCard from "./RemoteCard.svelte";

describe("a remote card", () => {
  it("names the host, fetches nothing and opens in the browser", async () => {
    const onLink = vi.fn();
    render(RemoteCard, { address: "https://media.example.org/talk-2026.webm", onLink });
    const card = screen.getByRole("group", { name: "Video: talk-2026.webm" });
    expect(card.dataset.mediaState).toBe("remote");
    expect(card).toHaveTextContent("Video on media.example.org");
    expect(card.querySelector("[src]")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Open in browser" }));
    expect(onLink).toHaveBeenCalledWith("https://media.example.org/talk-2026.webm");
  });
});

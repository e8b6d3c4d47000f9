/** Words of Settings, General, Media playback. What is used now is said by the host. */
export const playback = {
  title: "Media playback",
  hint: "How audio and video reach the player. A change holds for what is opened from now on.",
  auto: "Automatic",
  plugin: "Plugin only",
  loopback: "Local port only",
} as const;

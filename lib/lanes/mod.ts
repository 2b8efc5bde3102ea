// Several tasks side by side. What comes in is a run of a folder's tasks; each task is a run of its own, in a workspace of
// its own. What passes is merged with what was landed before, tested as merged, and landed in a target.

export type { LoopOfTask } from "./context.ts";
export { playLanes } from "./play_lanes.ts";

export function laneStyle(index: number) {
  return { "--lane": `var(--lane${index % 8})` };
}

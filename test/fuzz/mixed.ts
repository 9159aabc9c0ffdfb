/** A seed out of two numbers. */
export function mixed(seed: number, count: number): number {
  return Math.imul(seed ^ Math.imul(count + 1, 0x9e3779b1), 0x85ebca6b) | 0;
}

/** FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/), from a seed; 32 bits with a sign. */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed | 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

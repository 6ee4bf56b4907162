/** Look until it holds; what it gave. Generous, since the machine may be busy with other tests. */
export async function until<T>(holds: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await holds();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

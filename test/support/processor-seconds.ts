/** How much processor time some work takes. Unlike the clock, it hardly depends on what else the machine does. */
export async function processorSeconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

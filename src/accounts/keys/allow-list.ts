import { createNetworkList, parseNetwork } from '../../addresses/networks.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** The networks as they will be kept; throws invalid_value naming the first that cannot be understood. */
export function parseAllowList(networks: readonly string[]): string[] {
  return [...new Set(networks.map(checkedNetwork))];
}

/** Whether an address is in the list. An empty list has every address. */
export function createAddressCheck(networks: readonly string[]): (address: string) => boolean {
  return networks.length === 0 ? () => true : createNetworkList(networks).includes;
}

function checkedNetwork(text: string): string {
  const network = parseNetwork(text);
  if (network) return `${network.address}/${network.bits}`;
  throw new ServiceError('invalid_value', {
    message: `"${text}" is not a network. Write it as 192.0.2.0/24, 2001:db8::/32 or a single address.`,
    param: 'allow',
  });
}

import process from "node:process";
import { isLoopback } from "./access.ts";
import { configure, type Environment } from "./configuration.ts";

/** What servers on a machine of one's own are told in addition. */
export interface ServerEnvironment extends Environment {
  /** The address to listen on. Default: `127.0.0.1`. */
  HOST?: string | undefined;
  /** The port; 0: any. Default: 8787. */
  PORT?: string | undefined;
}

/** Says why the gateway does not run, and ends the process. */
export function stop(error: Error): never {
  console.error(error.message);
  process.exit(1);
}

/**
 * Where to listen. Checks everything before the first request comes, and listens
 * to other machines only when it is said who of them may use the gateway. A wrong
 * configuration ends the process with what is wrong.
 */
export function listening(
  environment: ServerEnvironment,
): { hostname: string; port: number } {
  try {
    return checked(environment);
  } catch (error) {
    stop(error as Error);
  }
}

function checked(
  environment: ServerEnvironment,
): { hostname: string; port: number } {
  const { clientKeys, upstream } = configure(environment);
  if (upstream === undefined) {
    console.log("No UPSTREAM_URL is set: there is only POST /v1/clean");
  }
  const hostname = environment.HOST || "127.0.0.1";
  if (clientKeys === undefined && !isLoopback(hostname)) {
    throw new Error(
      `Cannot listen on "${hostname}" without CLIENT_KEYS: set them, or "*" for anyone`,
    );
  }
  const port = Number(environment.PORT || "8787");
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error("Cannot listen: PORT has to be a port");
  }
  return { hostname, port };
}

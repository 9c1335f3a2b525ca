package org.posthouse.ops.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Slows guesses of passwords, for each address and for each name: five attempts are free, then each further one has to wait, 1 s at first and
 * twice as long after each failure. Confined to the console's event loop.
 *
 * <p>Memory is fixed: an address or name has one of {@link #SLOTS} places by its hash. Two that share a place share the delay, at most 5 minutes for
 * an address and 1 minute for a name; so nobody keeps a user out for long whose name he knows. Names that no user has are slowed as others are.
 * An attempt counts as failed from its beginning, so that many at once gain nothing.
 */
final class LoginThrottle {
    static final int FREE = 5;
    static final int SLOTS = 4_096;
    static final long ADDRESS_DELAY_MS_MAX = 300_000;
    static final long NAME_DELAY_MS_MAX = 60_000;

    /** Failures are forgotten after so long without one. */
    static final long FORGET_MS = 900_000;

    private static final long DELAY_MS = 1_000;
    private static final int PREFIX_BYTES = 8;

    private final LongSupplier clock;
    private final int seed = new SecureRandom().nextInt();
    private final Slots addresses = new Slots(ADDRESS_DELAY_MS_MAX);
    private final Slots names = new Slots(NAME_DELAY_MS_MAX);

    /** @param clock milliseconds, of any origin */
    LoginThrottle(LongSupplier clock) {
        this.clock = clock;
    }

    /** Begins an attempt. @return 0, or the milliseconds after which the next one is let through; then this one has not begun */
    long begin(String address, String name) {
        long now = clock.getAsLong();
        int from = slot(network(address));
        int whom = slot(name);
        long wait = Math.max(addresses.wait(from, now), names.wait(whom, now));
        if (wait == 0) {
            addresses.failed(from, now);
            names.failed(whom, now);
        }
        return wait;
    }

    /** The attempt was a good one. Other failures of its address stay counted: else who has a password could guess others' unslowed. */
    void succeeded(String address, String name) {
        addresses.takeBack(slot(network(address)));
        names.clear(slot(name));
    }

    /** One customer of a provider has all addresses of an IPv6 prefix of 64 bits. */
    private static String network(String address) {
        int scope = address.indexOf('%');
        try {
            InetAddress parsed = InetAddress.ofLiteral(scope < 0 ? address : address.substring(0, scope));
            return parsed instanceof Inet6Address ? Arrays.toString(Arrays.copyOf(parsed.getAddress(), PREFIX_BYTES)) : address;
        } catch (IllegalArgumentException e) {
            return address; // With the user of this host before it, or none of an IP socket.
        }
    }

    private int slot(String key) {
        int hash = (key.hashCode() ^ seed) * 0x9E3779B9;
        return (hash >>> 16) % SLOTS;
    }

    /** Failures by place. */
    private static final class Slots {
        private final long delayMsMax;
        private final int[] failures = new int[SLOTS];
        private final long[] lastAt = new long[SLOTS];

        Slots(long delayMsMax) {
            this.delayMsMax = delayMsMax;
        }

        long wait(int slot, long now) {
            if (now - lastAt[slot] >= FORGET_MS) {
                failures[slot] = 0;
            }
            int over = failures[slot] - FREE;
            long delay = over < 0 ? 0 : Math.min(delayMsMax, DELAY_MS << Math.min(over, 20));
            return Math.max(0, lastAt[slot] + delay - now);
        }

        void failed(int slot, long now) {
            failures[slot]++;
            lastAt[slot] = now;
        }

        void takeBack(int slot) {
            failures[slot] = Math.max(0, failures[slot] - 1);
        }

        void clear(int slot) {
            failures[slot] = 0;
        }
    }
}

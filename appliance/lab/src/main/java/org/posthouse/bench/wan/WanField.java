package org.posthouse.bench.wan;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.posthouse.relay.host.GridNetwork;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanProfile;
import org.posthouse.wan.WanWay;

/** The emulated network between a profile's sites; without an emulator, the loopback itself. Confined to the driver's thread. */
public final class WanField implements GridNetwork, Closeable {
    /** Of the jitter, so that two runs have the same. */
    private static final long SEED = 1;

    private final WanProfile profile;
    private final Map<List<String>, WanWay> ways = new HashMap<>();

    /** Null without. */
    private final WanEmulator emulator;

    private WanField(WanProfile profile, WanEmulator emulator) {
        this.profile = profile;
        this.emulator = emulator;
    }

    /** The network of a profile. @param emulated whether there is one */
    public static WanField open(WanProfile profile, boolean emulated) throws IOException {
        return new WanField(profile, emulated ? WanEmulator.start(new Random(SEED)) : null);
    }

    @Override
    public String site(int index) {
        return profile.sites().get(index);
    }

    @Override
    public int road(String from, String to, int port) {
        boolean inside = from.equals(to) || emulator == null;
        return inside ? port : ways.computeIfAbsent(List.of(from, to), unseen -> way(from, to)).lead(port);
    }

    /** A bottleneck in each direction for all connections that one site dials; those that the other dials have two of their own. */
    private WanWay way(String from, String to) {
        return emulator.way(profile.between(from, to));
    }

    @Override
    public void close() throws IOException {
        if (emulator != null) {
            emulator.close();
        }
    }
}

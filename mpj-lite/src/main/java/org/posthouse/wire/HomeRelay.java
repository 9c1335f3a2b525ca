package org.posthouse.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * A relay that can be the home of ranks.
 *
 * @param site the relay's site
 * @param relay the relay's id, unique in the grid: SITE or SITE/NAME
 * @param address where ranks and launchers connect, as host:port
 */
public record HomeRelay(String site, String relay, String address) {
    /** The address as host:port, with an IPv6 address in brackets. */
    public static String address(String host, int port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Bytes that it takes in a frame. */
    int bytes() {
        return FrameWriter.nameBytes(site) + FrameWriter.nameBytes(relay) + FrameWriter.nameBytes(address);
    }

    static void write(FrameWriter out, List<HomeRelay> homes) {
        out.i32(homes.size());
        for (HomeRelay home : homes) {
            out.name(home.site).name(home.relay).name(home.address);
        }
    }

    static List<HomeRelay> read(FrameReader in) throws WireException {
        int count = in.count(6, "homes");
        List<HomeRelay> homes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            homes.add(new HomeRelay(in.text("site"), in.text("relay"), in.text("address")));
        }
        return homes;
    }
}

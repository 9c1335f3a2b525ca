package org.posthouse.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.posthouse.keys.RelayId;

/**
 * Where the first and the second rank of a pair of two sites are at home: near, at a relay of their own node behind
 * their site's gateway, or far, at the gateway itself. The names are those of the Grid Gateway paper, section 4: sender
 * and receiver deliver near or far.
 */
public enum Delivery {
    /** Both ranks at relays of their own. */
    NSD_NRD(true, true),
    /** The first rank at a relay of its own. */
    NSD_FRD(true, false),
    /** The second rank at a relay of its own. */
    FSD_NRD(false, true),
    /** Both at their gateways. */
    FSD_FRD(false, false);

    private static final RelayId GATEWAY_A = RelayId.parse("site-a");
    private static final RelayId GATEWAY_B = RelayId.parse("site-b");
    private static final RelayId NODE_A = RelayId.parse("site-a/node");
    private static final RelayId NODE_B = RelayId.parse("site-b/node");

    private final boolean nearSender;
    private final boolean nearReceiver;

    Delivery(boolean nearSender, boolean nearReceiver) {
        this.nearSender = nearSender;
        this.nearReceiver = nearReceiver;
    }

    /** The relays in the order in which they start: gateways first. */
    List<RelayId> relays() {
        List<RelayId> relays = new ArrayList<>(List.of(GATEWAY_A, GATEWAY_B));
        if (nearSender) {
            relays.add(NODE_A);
        }
        if (nearReceiver) {
            relays.add(NODE_B);
        }
        return relays;
    }

    /** Whether a relay dials another one: the gateways each other, a node its own site's gateway. */
    static boolean dials(RelayId from, RelayId to) {
        boolean gateways = to.equals(GATEWAY_A) && from.equals(GATEWAY_B);
        return gateways || from.equals(NODE_A) && to.equals(GATEWAY_A) || from.equals(NODE_B) && to.equals(GATEWAY_B);
    }

    /** The homes of the first and the second half of the ranks. */
    List<RelayId> homes() {
        return List.of(nearSender ? NODE_A : GATEWAY_A, nearReceiver ? NODE_B : GATEWAY_B);
    }

    /** As it is written in {@code --delivery}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return word();
    }
}

package org.posthouse.bench.scale;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.wire.Token;

/**
 * Where a hosted rank's messages go: for each series of the plan, in its order, one leg.
 *
 * @param rank the rank
 * @param partner its partner
 * @param legs the ways between the two
 */
record ScaleRoute(int rank, int partner, List<Leg> legs) {
    /**
     * One way.
     *
     * @param carrier the carrier of the messages
     * @param address the relay's host:port, or a forwarder's port; of a raw connection empty
     * @param job the job at that relay
     * @param token what opens it
     */
    record Leg(Carrier carrier, String address, long job, Token token) {
        static Leg of(Carrier carrier, String address) {
            return new Leg(carrier, address, 0, Token.NONE);
        }
    }

    boolean isFirst() {
        return rank < partner;
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(rank);
        out.writeInt(partner);
        out.writeInt(legs.size());
        for (Leg leg : legs) {
            out.writeByte(leg.carrier.ordinal());
            out.writeUTF(leg.address);
            out.writeLong(leg.job);
            out.writeLong(leg.token.high());
            out.writeLong(leg.token.low());
        }
    }

    static ScaleRoute read(DataInput in) throws IOException {
        int rank = in.readInt();
        int partner = in.readInt();
        List<Leg> legs = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            legs.add(new Leg(
                    Carrier.values()[in.readByte()], in.readUTF(), in.readLong(), new Token(in.readLong(), in.readLong())));
        }
        return new ScaleRoute(rank, partner, legs);
    }
}

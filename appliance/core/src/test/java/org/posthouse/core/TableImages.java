package org.posthouse.core;

import java.util.ArrayList;
import java.util.List;

/** A store of images that writes down what it is given; the test gives the answers. */
final class TableImages implements CheckpointImages {
    private final List<String> asked = new ArrayList<>();

    List<String> take() {
        List<String> taken = List.copyOf(asked);
        asked.clear();
        return taken;
    }

    @Override
    public void begin(HomedRank rank, int save, long bytes) {
        asked.add("begin rank " + rank.rank() + " #" + save + ": " + bytes);
    }

    @Override
    public void put(HomedRank rank, int save, Parcel piece) {
        asked.add("put rank " + rank.rank() + " #" + save + ": " + piece.payloadBytes());
        piece.release();
    }

    @Override
    public void end(HomedRank rank, int save) {
        asked.add("end rank " + rank.rank() + " #" + save);
    }

    @Override
    public void drop(HomedRank rank, int save) {
        asked.add("drop rank " + rank.rank() + " #" + save);
    }
}

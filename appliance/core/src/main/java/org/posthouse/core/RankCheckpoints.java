package org.posthouse.core;

import java.util.List;
import java.util.Optional;
import org.posthouse.wire.JobEvent;

/** A rank's checkpoints: the one in transfer, and the output positions of those in the log. Confined to the relay core. */
public final class RankCheckpoints {
    private final HomedRank rank;
    private final OutputPositions outputPositions;
    private Checkpoints.Save save;
    private int saves;

    RankCheckpoints(HomedRank rank) {
        this.rank = rank;
        this.outputPositions = new OutputPositions(rank);
    }

    void restore(RecoveredRank recovered) {
        recovered.marks().forEach(outputPositions::checkpoint);
        if (recovered.limited()) {
            outputPositions.limited("it did what cannot be replayed before its relay was started again");
        }
    }

    /** The checkpoint that it has announced and that is not in the log yet; null if there is none. */
    Checkpoints.Save save() {
        return save;
    }

    void save(Checkpoints.Save next) {
        save = next;
    }

    /** The question to its launcher that must be answered before its image counts; empty if there is none. */
    public Optional<JobEvent> asking() {
        return Checkpoints.asking(rank);
    }

    /** The notes about its output that its launcher needs to restart it. */
    OutputPositions outputNotes() {
        return outputPositions;
    }

    /** The notes that a launcher that connects needs to restart it. */
    public List<JobEvent> outputNotesTold() {
        return outputPositions.all();
    }

    /** A number for its next image, which identifies the image while it is transferred. */
    int nextSave() {
        return ++saves;
    }
}

package org.posthouse.ops;

import java.util.List;

/**
 * The result of an order for checkpoints at one home relay of the job. Immutable.
 *
 * @param relay  its id
 * @param job    the job's id
 * @param asked  number of ranks that were asked; each takes one at its next call that allows it
 * @param unable ranks at home there that were not: they are not connected, or their programs have called no
 *               {@code Checkpoint} yet
 * @param why    why none was asked, in one line; else empty
 */
public record CheckpointReport(String relay, String job, int asked, List<Integer> unable, String why) {
    public CheckpointReport {
        unable = List.copyOf(unable);
    }

    /** No rank was asked there. */
    static CheckpointReport failed(String relay, String job, String why) {
        return new CheckpointReport(relay, job, 0, List.of(), why);
    }
}

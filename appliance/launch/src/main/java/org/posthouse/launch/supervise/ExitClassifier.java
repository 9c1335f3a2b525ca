package org.posthouse.launch.supervise;

import org.posthouse.launch.job.ExitStatus;

/** The meaning of the end of a rank's process. */
enum ExitClassifier {
    /** The relay has not reported the end yet, which may change the meaning. */
    WAIT,
    /** It ended as it should. */
    DONE,
    /** Something around the program ended it: a new process is brought to where it was. */
    RESTART,
    /** It ends the job. */
    FAIL;

    /**
     * The table of docs/jobs.md, "Restarted ranks".
     *
     * @param status the process's exit status, see {@link ExitStatus}
     * @param link the connection state that the relay has reported
     * @param restartable whether ranks of the job may be started again: it is logged, and restarts were not forbidden
     * @param limited whether the rank performed operations that cannot be replayed
     * @param unheard whether the process was not the rank's first, and ended before its relay had heard of it: the first came further
     */
    static ExitClassifier of(int status, RankConnectionState link, boolean restartable, boolean limited, boolean unheard) {
        boolean accident = ExitStatus.isAccident(status) || (unheard && status != 0);
        if (restartable && link != RankConnectionState.LOST && accident) {
            return limited ? FAIL : RESTART;
        }
        return switch (link) {
            case CONNECTED, REPLAYING -> WAIT;
            case AWAY -> status == 0 ? WAIT : FAIL;
            case NONE, FINALIZED -> status == 0 ? DONE : FAIL;
            case LOST -> FAIL;
        };
    }

    /** The same in a job that replaces its dead, once the relay has told of the death: whatever the status, another process takes the rank's place. */
    static ExitClassifier ofReplaced(int status, RankConnectionState link) {
        return switch (link) {
            case CONNECTED, REPLAYING, AWAY -> WAIT;
            case NONE -> status == 0 ? DONE : RESTART;
            case FINALIZED -> status == 0 ? DONE : FAIL;
            case LOST -> RESTART;
        };
    }
}

package org.posthouse.launch.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/**
 * Status of a job, as its launcher reports it to the program that started it ({@code --supervised}). It is reported
 * again after each change.
 *
 * @param processes the present process of each rank, perhaps some that have just ended
 * @param connected whether every rank's program has called Init under this launcher
 * @param hasJob whether every relay has reported to this launcher that it has the job
 * @param behind number of ranks that have not yet reached the state in which another launcher left them
 * @param restarts what was started again, first those that have come to an end
 * @param relayLosses relays that the launcher lost and found again
 * @param divergences see {@link JobOutcome}
 * @param printedOther see {@link JobOutcome}
 * @param end how the job ended for this launcher; null before
 */
public record JobStatusReport(
        List<RankRun> processes,
        boolean connected,
        boolean hasJob,
        int behind,
        List<Restart> restarts,
        List<RelayLoss> relayLosses,
        List<String> divergences,
        List<String> printedOther,
        End end) {
    /** The status of a launcher that has reported nothing. */
    public static final JobStatusReport UNTOLD = new JobStatusReport(List.of(), false, false, 0, List.of(), List.of(), List.of(), List.of(), null);

    /** Beginning of each such line on the launcher's error stream. No other line begins so. */
    private static final String BEGINNING = "posthouse: {";

    private static final ObjectMapper JSON = new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** A process of a rank. */
    public record RankRun(int rank, int incarnation, long pid) {}

    /** See {@link JobOutcome}. */
    public record End(int status, String cause, boolean left) {}

    /** As the launcher's words. */
    public String words() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether this line of a launcher's error stream is a standing. */
    public static boolean isOne(String line) {
        return line.startsWith(BEGINNING);
    }

    /** Parses a line of a supervised launcher. */
    public static JobStatusReport parse(String line) throws JsonProcessingException {
        return JSON.readValue(line.substring(BEGINNING.length() - 1), JobStatusReport.class);
    }
}

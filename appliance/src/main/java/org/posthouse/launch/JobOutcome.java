package org.posthouse.launch;

/**
 * How a job ended.
 *
 * @param status 0 if every rank finished well; else the status of what went wrong first
 * @param cause one line that names the rank and what happened; empty if all went well
 * @param seconds from the start of the first process to the end of the last
 */
public record JobOutcome(int status, String cause, double seconds) {
    public boolean isSuccess() {
        return status == 0 && cause.isEmpty();
    }
}

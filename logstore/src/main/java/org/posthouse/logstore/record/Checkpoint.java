package org.posthouse.logstore.record;

/**
 * A point in a rank's history that it can be restarted from. Immutable.
 *
 * @param number of the image: 1, 2, …; 0 for the end of the prologue
 * @param bytes of the image
 * @param pin position of the oldest record that a start from here needs
 * @param events number that the rank had reported
 * @param deliveries number that it had got
 * @param polls number that had failed
 * @param imageCrc CRC32C of the image
 * @param ready whether this is no image but the point where the program asked whether to restore one, and there was
 *         none
 * @param out bytes that the rank's processes had printed to their standard output
 * @param err the same of their standard error
 */
public record Checkpoint(long number, long bytes, long pin, long events, long deliveries, long polls, int imageCrc,
        boolean ready, long out, long err) {
    /** Creates a checkpoint of a rank that has printed nothing. */
    public Checkpoint(long number, long bytes, long pin, long events, long deliveries, long polls, int imageCrc, boolean ready) {
        this(number, bytes, pin, events, deliveries, polls, imageCrc, ready, 0, 0);
    }

    /** The current point of a rank, without an image yet. */
    public static Checkpoint at(long pin, long events, long deliveries, long polls) {
        return new Checkpoint(0, 0, pin, events, deliveries, polls, 0, false);
    }

    /** This point with an image that was made here. */
    public Checkpoint ofImage(long imageNumber, long imageBytes, int crc) {
        return new Checkpoint(imageNumber, imageBytes, pin, events, deliveries, polls, crc, false, out, err);
    }
}

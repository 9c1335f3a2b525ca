package org.posthouse.logstore;

/**
 * A point in a rank's history that it can be started from again. Immutable.
 *
 * @param number of the image: 1, 2, …; 0 of the end of the prologue
 * @param bytes of the image
 * @param pin position of the oldest record that a start from here needs
 * @param events that the rank had told
 * @param deliveries that it had got
 * @param polls that had failed
 * @param imageCrc CRC32C of the image
 * @param ready no image: the point where the program asked whether it is to be restored, and was not
 * @param out bytes that the rank's processes had printed to their standard output
 * @param err the same of their standard error
 */
public record Checkpoint(long number, long bytes, long pin, long events, long deliveries, long polls, int imageCrc,
        boolean ready, long out, long err) {
    /** Of a rank that has printed nothing. */
    public Checkpoint(long number, long bytes, long pin, long events, long deliveries, long polls, int imageCrc, boolean ready) {
        this(number, bytes, pin, events, deliveries, polls, imageCrc, ready, 0, 0);
    }

    /** Where a rank stands, of which there is no image yet. */
    public static Checkpoint at(long pin, long events, long deliveries, long polls) {
        return new Checkpoint(0, 0, pin, events, deliveries, polls, 0, false);
    }

    /** An image that was made here. */
    Checkpoint ofImage(long imageNumber, long imageBytes, int crc) {
        return new Checkpoint(imageNumber, imageBytes, pin, events, deliveries, polls, crc, false, out, err);
    }
}

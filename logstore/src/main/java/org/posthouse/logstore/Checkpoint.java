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
 */
public record Checkpoint(long number, long bytes, long pin, long events, long deliveries, long polls, int imageCrc,
        boolean ready) {}

package org.posthouse.core;

/**
 * Keeps the images of ranks, outside the core's strand. Asked by the core; it answers in the strand, with {@link
 * StorageResults#imageWritten}, and at the end {@link StorageResults#imageStored} or {@link StorageResults#imageFailed}.
 */
public interface CheckpointImages {
    /**
     * An image of a rank begins.
     *
     * @param save the rank's number for it; answers to an earlier one come to nothing
     * @param bytes of all of it
     */
    void begin(HomedRank rank, int save, long bytes);

    /** Its next bytes; takes over the parcel. */
    void put(HomedRank rank, int save, Parcel piece);

    /** All of it has come; it is to be kept once it is on the disk. */
    void end(HomedRank rank, int save);

    /** Discards the part of the image that has come. */
    void drop(HomedRank rank, int save);
}

package org.posthouse.launch.stage;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;

/**
 * Stores in the system's folder for temporary files. One that a killed process has left is used again, so that there are
 * never more than processes that run at once. Stateless.
 */
public final class TemporaryStores {
    private static final int TRIES_MAX = 10;

    private TemporaryStores() {}

    /**
     * Opens a store in a folder of this user's that no other process uses, or in a new one.
     *
     * @param prefix of the folder's name
     */
    public static ContentStore open(String prefix, long bytesMax) throws StageException {
        Path above = Path.of(System.getProperty("java.io.tmpdir"));
        for (int tries = 1;; tries++) {
            Path made = null;
            try {
                Optional<ContentStore> left = left(above, prefix, bytesMax);
                if (left.isPresent()) {
                    return left.get();
                }
                made = Files.createTempDirectory(above, prefix, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                return ContentStore.open(made, bytesMax);
            } catch (IOException e) {
                if (made == null || tries == TRIES_MAX) { // Else another process has taken the new folder for one that was left.
                    throw StageException.of("no folder for staged files can be made in " + above, e);
                }
            }
        }
    }

    private static Optional<ContentStore> left(Path above, String prefix, long bytesMax) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(above, prefix + "*")) {
            for (Path folder : left) {
                ContentStore store = isOwn(folder) ? tryOpen(folder, bytesMax) : null;
                if (store != null) {
                    return Optional.of(store);
                }
            }
        }
        return Optional.empty();
    }

    /** Another user may put a folder, or a link, where all can write. */
    private static boolean isOwn(Path folder) {
        try {
            UserPrincipal user = folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(System.getProperty("user.name"));
            return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(user);
        } catch (IOException e) {
            return false; // Gone meanwhile, or the system does not know its users' names.
        }
    }

    /** Null if another process uses it, or removes it. */
    private static ContentStore tryOpen(Path folder, long bytesMax) {
        try {
            return ContentStore.open(folder, bytesMax);
        } catch (StageException e) {
            return null;
        }
    }

    /** Closes such a store, and removes its folder. */
    public static void remove(ContentStore store) throws StageException {
        FolderRemoval.remove(store.folder());
        store.close();
    }
}

package org.posthouse.ops.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** What changes when a file does. */
record FileStamp(Object key, long modified, long size) {
    static FileStamp of(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return new FileStamp(attributes.fileKey(), attributes.lastModifiedTime().toMillis(), attributes.size());
    }
}

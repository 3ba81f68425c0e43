package org.apache.spark.sql.delta.peer

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{DelegateToFileSystem, FileStatus, FsServerDefaults, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.DataChecksum

/**
 * Files of this machine without permissions and links, both of which Hadoop asks of programs that it starts: `chmod`
 * and `readlink`, several times for each commit.
 */
class PlainFileSystem extends RawLocalFileSystem {

  override def setPermission(path: Path, permission: FsPermission): Unit = ()

  override def getFileLinkStatus(path: Path): FileStatus = getFileStatus(path)
}

/** The same for Hadoop's newer interface, by which commits are given their names. */
class PlainFiles(uri: URI, settings: Configuration)
  extends DelegateToFileSystem(uri, new PlainFileSystem, settings, "file", false) {

  override def getUriDefaultPort: Int = -1

  override def getServerDefaults(path: Path): FsServerDefaults = getServerDefaults

  override def getServerDefaults: FsServerDefaults =
    new FsServerDefaults(64L << 20, 512, 64 << 10, 1.toShort, 4096, false, 0L, DataChecksum.Type.CRC32)
}
